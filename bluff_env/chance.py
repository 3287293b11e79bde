"""Counter-based randomness: draw number ``counter`` of a stream is a pure function of the game's seed.

A game owns several independent streams (deal, races, reveals, notices), so that the same seed gives the same deal
whatever the players do, and a draw never depends on other games, threads or on the order of play.

The mixer is a 32-bit multiply-xorshift hash (the constants are TheIronBorn's low-bias pair). Both factors fit 31 bits,
so that no product leaves the range of a signed 64-bit integer: the function is the same compiled and in plain Python.
"""

from bluff_env.jit import kernel

MASK32 = 0xFFFFFFFF
GOLDEN = 0x1E3779B9


@kernel
def mix(x):
    """A 32-bit hash of a 32-bit number."""
    x = x & MASK32
    x ^= x >> 16
    x = (x * 0x21F0AAAD) & MASK32
    x ^= x >> 15
    x = (x * 0x735A2D97) & MASK32
    x ^= x >> 15
    return x


@kernel
def stream_key(seed, stream, half):
    """One of the two 32-bit keys of a stream of a 63-bit seed."""
    key = mix((seed & MASK32) ^ mix(stream * 2 + half + 1))
    return mix(key ^ mix(((seed >> 32) & MASK32) + GOLDEN))


@kernel
def draw_bits(key_a, key_b, counter):
    """32 random bits: draw number ``counter`` under the two keys of a stream."""
    return mix(key_a ^ mix(key_b + (counter & MASK32) * GOLDEN))


@kernel
def draw_below(key_a, key_b, counter, bound):
    """A random number from 0 to ``bound`` - 1, for bounds far below 2**31."""
    return (draw_bits(key_a, key_b, counter) * bound) >> 32


@kernel
def derive_seed(seed, row, episode):
    """The seed of one game out of an engine's seed: 62 bits, a pure function of the three numbers."""
    low = mix(mix(seed & MASK32) ^ mix((row + 1) & MASK32) ^ (mix(episode * 2 + 1) * 3 & MASK32))
    high = mix(mix((seed >> 32) ^ low) ^ mix((row * 2 + 1) & MASK32) + episode)
    return ((mix(high ^ episode) & 0x3FFFFFFF) << 32) | mix(low + episode)


@kernel
def seed_streams(g, seed):
    """Keys every stream of chance of a game by its seed; nothing is drawn yet."""
    g.seed = seed
    for stream in range(g.draws.shape[0]):
        g.keys[stream, 0] = stream_key(seed, stream, 0)
        g.keys[stream, 1] = stream_key(seed, stream, 1)
        g.draws[stream] = 0
