"""The end of a game: the hands are compared, and the winners are paid."""

from bluff_env.bullet.game.hands import hand_score
from bluff_env.bullet.game.state import NOBODY, Phase
from bluff_env.bullet.game.table import everybody
from bluff_env.bullet.rules import HAND_SIZE
from bluff_env.core.jit import kernel


@kernel
def end_game(g, r):
    """Show all hands and pay the winner; equal best hands share (S35)."""
    g.phase = Phase.OVER
    g.to_act = NOBODY
    n = r.num_players
    best, num_winners = NOBODY, 0
    for seat in range(n):
        for slot in range(HAND_SIZE):
            g.knowers[seat, slot] = everybody(r)
        score = hand_score(g, r, seat, HAND_SIZE)
        if score > best:
            best, num_winners, g.winners = score, 0, 0
        if score == best:
            num_winners += 1
            g.winners |= 1 << seat
    for seat in range(n):
        if num_winners < n:
            g.payoff[seat] = 1.0 / num_winners if (g.winners >> seat) & 1 else -1.0 / (n - num_winners)
