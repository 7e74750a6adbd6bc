import { useKept } from '../live/kept.js'
import type { ScreenProps } from '../screen/screen.js'
import { LogView } from './LogView.js'
import { PLACE } from './place.js'

/** The logs: orders, analyzer, traffic, latency and errors. */
export function LogScreen({ width, height }: ScreenProps) {
  const [place, setPlace] = useKept(PLACE)
  return <LogView key={place.tab} {...{ width, height, place }} onMove={setPlace} />
}
