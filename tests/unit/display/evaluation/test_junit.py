from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

from app.display.evaluation.results import Gated, junit_xml
from app.domain.case import Task
from app.evaluation.evaluation import judged
from app.settings.model import Settings
from tests.unit.evaluation.made import answer


def test_that_every_case_and_gate_is_a_test_and_the_wrong_ones_fail() -> None:
    evaluation = judged(Task.INTENT, "max", [answer("a", "a:0.9"), answer("b", "a:0.8 b:0.7")], Settings())
    root = ElementTree.fromstring(junit_xml(evaluation, [Gated("top1>=0.9", 0.5, held=False), Gated("ece<1", 0, True)]))
    cases, gates = root.findall("testsuite")
    assert (cases.attrib["name"], cases.attrib["tests"], cases.attrib["failures"]) == ("intent", "2", "1")
    (failure,) = cases.iter("failure")
    assert failure.attrib["message"] == "expected b, got a"
    assert failure.text == "80 % a\n70 % b"
    assert [one.attrib["message"] for one in gates.iter("failure")] == ["gate not met: top1>=0.9 (0.5)"]


def test_that_any_text_makes_a_document_that_can_be_read() -> None:
    odd = answer("a", "b:0.9")
    odd = replace(odd, case=replace(odd.case, text='<&">\x00\x1b\ud800 one\ntwo'))
    root = ElementTree.fromstring(junit_xml(judged(Task.INTENT, "max", [odd], Settings())))
    (case,) = root.iter("testcase")
    assert case.attrib["name"] == '<&">\ufffd\ufffd\ufffd one\ntwo'
