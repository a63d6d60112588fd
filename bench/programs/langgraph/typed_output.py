from langchain.agents import create_agent
from pydantic import BaseModel


class City(BaseModel):
    name: str
    country: str
    population: int


agent = create_agent("openai:gpt-5.2", response_format=City)
result = agent.invoke({"messages": [{"role": "user", "content": "Which city held Expo 2025?"}]})
city = result["structured_response"]
print(f"{city.name}, {city.country}: {city.population:,}")
