import { useEffect, useMemo, useState } from 'react'
import { READ_LIMIT_MS } from '../live/read-limit.js'
import { useDaemon } from '../live/use-daemon.js'
import { matching, type Place, readPlaces, screenPlaces, symbolPlaces } from './places.js'

/** A fast typist needs no search for each character. */
const PAUSE_MS = 150
const NONE: readonly Place[] = []

/** Returns the places that match a text, with symbols from the instrument master. */
export function usePlaces(text: string): readonly Place[] {
  const daemon = useDaemon()
  const [listed, setListed] = useState<readonly Place[]>(NONE)
  const [found, setFound] = useState<readonly Place[]>(NONE)
  const wanted = text.trim()
  useEffect(() => whileCurrent(() => readPlaces(daemon.access.client(READ_LIMIT_MS)), setListed), [daemon])
  useEffect(() => {
    if (wanted === '') return setFound(NONE)
    let end: () => void = () => undefined
    const timer = setTimeout(() => {
      end = whileCurrent(() => symbolPlaces(daemon.access.client(READ_LIMIT_MS), wanted), setFound)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [daemon, wanted])
  return useMemo(
    () => [...matching([...screenPlaces(), ...listed], wanted), ...(wanted === '' ? [] : found)],
    [listed, found, wanted],
  )
}

/** Shows what a read finds, unless something newer is wanted by then. @returns the way to say so */
function whileCurrent(
  read: () => Promise<readonly Place[]>,
  show: (places: readonly Place[]) => void,
): () => void {
  let isCurrent = true
  read()
    .catch(() => NONE)
    .then((places) => isCurrent && show(places))
  return () => {
    isCurrent = false
  }
}
