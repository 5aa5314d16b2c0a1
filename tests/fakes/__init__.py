"""Stand-ins for paid services, each speaking the real wire format over a real socket."""
