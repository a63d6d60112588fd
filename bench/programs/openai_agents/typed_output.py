from agents import Agent, Runner
from pydantic import BaseModel


class City(BaseModel):
    name: str
    country: str
    population: int


agent = Agent(name="cities", model="gpt-5.2", output_type=City)
city = Runner.run_sync(agent, "Which city held Expo 2025?").final_output
print(f"{city.name}, {city.country}: {city.population:,}")
