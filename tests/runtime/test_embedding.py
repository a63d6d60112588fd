"""The embedder of the settings: none before its weights are there, one for the whole process afterwards."""

import pytest

from glassloop.core.errors import UnknownName
from glassloop.extensions.openai import OpenAISettings
from glassloop.runtime.embedding import ready_embedder
from glassloop.runtime.settings import Settings


@pytest.mark.parametrize("name", ["none", "minilm"])
def test_where_none_is_wanted_or_its_weights_are_missing_there_is_none(tmp_path, name):
    assert ready_embedder(Settings(home=str(tmp_path), embedder=name)) is None
    assert list(tmp_path.iterdir()) == []


def test_all_who_have_the_same_settings_share_one(tmp_path):
    own = OpenAISettings(api_key="k", base_url="http://x/v1")
    settings = Settings(home=str(tmp_path), embedder="openai:small").having(own)
    assert ready_embedder(settings) is ready_embedder(settings)
    other = Settings(home=str(tmp_path), embedder="openai:large").having(own)
    assert ready_embedder(other) is not ready_embedder(settings)


def test_a_name_that_nobody_knows_is_answered_with_those_there_are(tmp_path):
    with pytest.raises(UnknownName, match="use minilm, openai:MODEL or none"):
        ready_embedder(Settings(home=str(tmp_path), embedder="bert"))
