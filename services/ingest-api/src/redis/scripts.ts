/**
 * The Lua that runs inside Redis, each script one atomic step. `completeness` is the sentinel:
 * `<run id of the server>/<keys evicted since>:<token of the rebuild>`. It says that every key
 * reserved in the last 72 hours is here. It is missing after a flush, and names another run id
 * after a restart.
 */
export const redisScripts = {
  /**
   * KEYS: completeness, then the reservations. ARGV: run id and colon, lifetime in ms, then a value
   * per reservation. Reserves each unless taken. Gives nil when the store is not complete (and then
   * reserves nothing), else the list of what was there before, nil for a key that is now ours.
   */
  reserveKeys: `
    local complete = redis.call('get', KEYS[1])
    if not complete or string.sub(complete, 1, #ARGV[1]) ~= ARGV[1] then return false end
    local before = {}
    for i = 2, #KEYS do
      before[i - 1] = redis.call('set', KEYS[i], ARGV[i + 1], 'nx', 'get', 'px', ARGV[2])
    end
    return before`,

  /**
   * KEYS: reservations. ARGV: the bytes of an event id for each. Compare-and-set: makes each done
   * that this event holds, and so leaves alone what belongs to another. Gives the numbers of the
   * keys that are gone.
   */
  completeKeys: `
    local gone = {}
    for i = 1, #KEYS do
      local now = redis.call('getrange', KEYS[i], 0, 16)
      if now == 'p' .. ARGV[i] then
        redis.call('setrange', KEYS[i], 0, 'd')
      elseif now == '' then
        gone[#gone + 1] = i
      end
    end
    return gone`,

  /**
   * KEYS: rebuild lock, then reservations. ARGV: lock token, lock lifetime in ms, then value and
   * end in ms since the epoch per reservation, read from the log. Of two events with one key the
   * earlier stays. Gives 0 and writes nothing when the lock is not ours any more: it expired, or a
   * flush came.
   */
  restoreKeys: `
    if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
    redis.call('pexpire', KEYS[1], ARGV[2])
    for i = 2, #KEYS do
      local value, expiresAt = ARGV[2 * i - 1], ARGV[2 * i]
      local now = redis.call('get', KEYS[i])
      local earlier = false
      if now and string.sub(now, 2, 17) ~= string.sub(value, 2, 17) then
        earlier = string.sub(now, 1, 1) == 'd'
          and struct.unpack('>I6', now, 18) <= struct.unpack('>I6', value, 18)
      end
      if not earlier then redis.call('set', KEYS[i], value, 'pxat', expiresAt) end
    end
    return 1`,

  /**
   * KEYS: sentinel and rebuild lock of the earlier release, completeness, last-complete, rebuild
   * lock. Puts a list in place of that sentinel, which that release cannot read: it refuses keyed
   * requests until it is replaced, and ends no rebuild. This store is not complete then, and no
   * rebuild of it counts. Gives nil when the list was there, else the type of what was.
   */
  fenceEarlier: `
    local found = redis.call('type', KEYS[1]).ok
    if found == 'list' then
      redis.call('del', KEYS[2])
      return false
    end
    redis.call('del', unpack(KEYS))
    redis.call('rpush', KEYS[1], 'a newer release keeps the idempotency keys')
    return found`,

  /** KEYS: rebuild lock. ARGV: lock token, lock lifetime in ms. Gives 0 when it is not ours. */
  renewLock: `
    if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
    return redis.call('pexpire', KEYS[1], ARGV[2])`,

  /** KEYS: rebuild lock, completeness, last-complete. ARGV: lock token, completeness value, now. */
  finishRebuild: `
    if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end
    redis.call('set', KEYS[2], ARGV[2])
    redis.call('set', KEYS[3], ARGV[3])
    redis.call('del', KEYS[1])
    return 1`,

  /**
   * KEYS: completeness, last-complete. ARGV: run id and colon, now in ms. Notes the time while the
   * store is complete. Gives whether it is, and the last time it was (nil when never or flushed).
   */
  noteComplete: `
    local complete = redis.call('get', KEYS[1])
    local last = redis.call('get', KEYS[2])
    if not complete or string.sub(complete, 1, #ARGV[1]) ~= ARGV[1] then
      return {0, complete and last or false}
    end
    redis.call('set', KEYS[2], ARGV[2])
    return {1, ARGV[2]}`,
} as const;
