"""One game for those who step it: the PettingZoo environment, a learner among opponents, a node of the game tree."""
