"""Counter-based random draws: each draw of a stream is a pure function of the game's seed and the draw's number.

A game has several independent streams (deal, races, reveals, notices). So the same seed gives the same deal whatever
the players do, and a draw never depends on other games, on threads or on the order of play.

The mixer is a 32-bit multiply-xorshift hash with TheIronBorn's low-bias constants. Both factors fit into 31 bits, so no
product leaves the range of a signed 64-bit integer, and the function gives the same numbers compiled and in plain
Python.
"""

from bluff_env.core.jit import kernel

MASK32 = 0xFFFFFFFF
GOLDEN = 0x1E3779B9


@kernel
def mix(x):
    """Returns a 32-bit hash of the low 32 bits of ``x``."""
    x = x & MASK32
    x ^= x >> 16
    x = (x * 0x21F0AAAD) & MASK32
    x ^= x >> 15
    x = (x * 0x735A2D97) & MASK32
    x ^= x >> 15
    return x


@kernel
def stream_key(seed, stream, half):
    """Returns key ``half`` (0 or 1), 32 bits, of a stream of a game with this 63-bit seed."""
    key = mix((seed & MASK32) ^ mix(stream * 2 + half + 1))
    return mix(key ^ mix(((seed >> 32) & MASK32) + GOLDEN))


@kernel
def draw_bits(key_a, key_b, counter):
    """Returns 32 random bits: draw number ``counter`` of the stream with these two keys."""
    return mix(key_a ^ mix(key_b + (counter & MASK32) * GOLDEN))


@kernel
def draw_below(key_a, key_b, counter, bound):
    """Returns a random number from 0 to ``bound`` - 1, nearly uniform for bounds far below 2**31."""
    return (draw_bits(key_a, key_b, counter) * bound) >> 32


@kernel
def derive_seed(seed, row, episode):
    """Returns the seed of one game, 62 bits, as a pure function of the engine's seed, the row and the episode."""
    low = mix(mix(seed & MASK32) ^ mix((row + 1) & MASK32) ^ (mix(episode * 2 + 1) * 3 & MASK32))
    high = mix(mix((seed >> 32) ^ low) ^ mix((row * 2 + 1) & MASK32) + episode)
    return ((mix(high ^ episode) & 0x3FFFFFFF) << 32) | mix(low + episode)


@kernel
def seed_streams(g, seed):
    """Seed all random streams of a game; nothing is drawn yet."""
    g.seed = seed
    for stream in range(g.draws.shape[0]):
        g.keys[stream, 0] = stream_key(seed, stream, 0)
        g.keys[stream, 1] = stream_key(seed, stream, 1)
        g.draws[stream] = 0
