"""Asking with aiohttp and nothing else: ``python -m benchmarks.bare_loop ADDRESS FILE CONNECTIONS``.

No guards, no record, no retries: what any client that stands on aiohttp has to spend.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import aiohttp


async def ask_all(address: str, prompts: Iterator[str], connections: int) -> list[str]:
    answers: list[str] = []

    async def work(session: aiohttp.ClientSession) -> None:
        for prompt in prompts:
            body = {
                "model": "mock",
                "messages": [{"role": "user", "content": prompt}],
                "temperature": 0,
                "max_tokens": 64,
            }
            async with session.post(url, data=json.dumps(body).encode()) as response:
                said = json.loads(await response.read())
            answers.append(said["choices"][0]["message"]["content"])

    url = f"{address}/v1/chat/completions"
    async with aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=connections),
        timeout=aiohttp.ClientTimeout(total=30),
        headers={"authorization": "Bearer x", "content-type": "application/json"},
    ) as session:
        await asyncio.gather(*[work(session) for _ in range(connections)])
    return answers


def main() -> None:
    address, file, connections = sys.argv[1:]
    rows = map(json.loads, Path(file).read_text(encoding="utf-8").splitlines())
    answers = asyncio.run(ask_all(address, (row["question"] for row in rows), int(connections)))
    print(len(answers), answers[0])


if __name__ == "__main__":
    main()
