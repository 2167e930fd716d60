"""Sends fragments with the providers' official SDKs: `send.py BASE_URL < requests`.

A line of stdin is `{"target": …, "model": …, "fragment": …}`. Nothing is added but what an SDK insists on. Whoever runs this
compares what arrives with what was given.
"""

import json
import sys


def anthropic(url, model, fragment):
    from anthropic import Anthropic

    client = Anthropic(base_url=url, api_key="none", max_retries=0)
    return client.messages.create(model=model, max_tokens=16, **fragment).usage


def openai_chat(url, model, fragment):
    from openai import OpenAI

    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    return client.chat.completions.create(model=model, **fragment).usage


def openai_responses(url, model, fragment):
    from openai import OpenAI

    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    return client.responses.create(model=model, **fragment).usage


def gemini(url, model, fragment):
    from google import genai
    from google.genai import types

    client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=url))
    # The SDK has the messages apart from all else, and takes the names of the wire as well as its own.
    rest = {key: value for key, value in fragment.items() if key != "contents"}
    config = types.GenerateContentConfig.model_validate(rest)
    return client.models.generate_content(model=model, contents=fragment["contents"], config=config).usage_metadata


def gemini_cache(url, model, body):
    """Makes a cache of the body, and sends a request that uses it."""
    from google import genai
    from google.genai import types

    client = genai.Client(api_key="none", http_options=types.HttpOptions(base_url=url))
    rest = {key: value for key, value in body.items() if key != "model"}
    cache = client.caches.create(model=body["model"], config=types.CreateCachedContentConfig.model_validate(rest))
    config = types.GenerateContentConfig(cached_content=cache.name)
    return client.models.generate_content(model=model, contents="one", config=config).usage_metadata


def bedrock(url, model, fragment):
    import boto3
    from botocore.config import Config

    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
        config=Config(retries={"total_max_attempts": 1}),
    )
    return client.converse(modelId=model, **fragment)["usage"]


def ollama(url, model, fragment):
    from ollama import Client

    return Client(host=url).chat(model=model, **fragment).prompt_eval_count


SENDERS = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
    "gemini-cache": gemini_cache,
    "bedrock": bedrock,
    "ollama": ollama,
}

if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        print(SENDERS[request["target"]](sys.argv[1], request["model"], request["fragment"]))
