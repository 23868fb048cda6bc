-- When the next request to Stripe may go, by connection and endpoint; '' is the account as a whole.
-- Nobody misses it after a crash, so it is not in the WAL.
create unlogged table stripe_turn (
  connection_id text not null,
  endpoint text not null,
  next_at timestamptz not null,
  primary key (connection_id, endpoint)
) with (fillfactor = 50);
