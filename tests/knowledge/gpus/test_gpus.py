

@pytest.mark.parametrize("name", ["MI308X", "MI300A", "RX 9070 XT"])
def test_an_unlisted_amd_card_may_have_fp8(name: str) -> None:
    assert gpus.find(name)[0].native_fp8
