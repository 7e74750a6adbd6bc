import { useEffect, useState } from 'react'

/** Returns the time in milliseconds, and draws again at each interval: for ages. */
export function useNow(intervalMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
  return now
}

/** Returns a value once it has rested for a while, and the one before until then: for what a held key changes all the time. */
export function useRested<T>(value: T, forMs: number): T {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), forMs)
    return () => clearTimeout(timer)
  }, [value, forMs])
  return rested
}
