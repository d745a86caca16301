"""Recognise operations that start a job, and find where a client can read the state of the job.

A job is work of the API that goes on after the response.
"""
