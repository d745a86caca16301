"""Recognise operations that start a job (they answer 202), and find where a client can read the state of the job."""
