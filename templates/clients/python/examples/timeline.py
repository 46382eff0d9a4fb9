"""The milestones of projects, day by day."""

from itertools import islice

from odp_client import Client

with Client() as client:
    for milestone in islice(client.@TIMELINE@.timeline(page_size=10), 10):
        print(milestone.to_dict())
