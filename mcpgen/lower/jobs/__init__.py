"""Recognise operations that start a job: those that answer 202, and what can be looked at afterwards."""
