"""One request to a system, whatever it asks and however it ends."""

from __future__ import annotations

from aliquot.errors import AliquotError
from aliquot.runner.likelihoods import ask_choice, ask_text
from aliquot.systems.recordable import interrupts, raised, recordable
from aliquot.systems.replies import Reply, settled
from aliquot.systems.requests import ChatRequest, ChoiceRequest, LikelihoodRequest, Request
from aliquot.systems.system import System


async def send(model: System, request: Request) -> Reply:
    """Ask once; what a system raises is a lost request, and a row like any other."""
    try:
        if isinstance(request, ChatRequest):
            return recordable(settled(await model.chat(request)))
        if isinstance(request, ChoiceRequest):
            return recordable(await ask_choice(model, request))
        if isinstance(request, LikelihoodRequest):
            return recordable(await ask_text(model, request))
        return recordable(settled(await model.complete(request)))
    except AliquotError:
        raise
    except BaseException as error:  # a user's system may raise anything, and no item may end the run
        if interrupts(error):
            raise
        return raised(error)
