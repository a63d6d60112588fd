from pydantic import BaseModel
from pydantic_ai import Agent


class City(BaseModel):
    name: str
    country: str
    population: int


agent = Agent("openai-chat:gpt-5.2", output_type=City)
city = agent.run_sync("Which city held Expo 2025?").output
print(f"{city.name}, {city.country}: {city.population:,}")
