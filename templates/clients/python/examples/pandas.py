"""Records as a data frame. Needs pandas; to_geopandas() makes shapes of geometries."""

from odp_client import Client

with Client() as client:
    frame = client.@DATASET@.list(fields=["@FIELD@", "@NUMBER@"]).to_pandas()
    print(frame.groupby("@FIELD@")["@NUMBER@"].describe())
