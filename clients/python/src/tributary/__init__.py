"""Client of the Tributary referral API, and the receiver of its reward webhook."""

from .client import Client
from .content_key import content_key
from .errors import AnswerError, NetworkError, Problem, TributaryError
from .webhook import Answer, Reward, RewardReceiver

__all__ = [
    "Answer",
    "AnswerError",
    "Client",
    "NetworkError",
    "Problem",
    "Reward",
    "RewardReceiver",
    "TributaryError",
    "content_key",
]
