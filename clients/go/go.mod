module tributary.local/client

go 1.23
