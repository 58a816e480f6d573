"""Native code of the tests is built in a folder of their own."""

import jax
import pytest

jax.config.update("jax_enable_x64", True)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLIANT_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
