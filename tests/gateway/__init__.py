"""The gateway through its public face: real sockets, the vendor's SDK as judge."""
