"""What interpreters load that hand their program over."""
