import { type Document, ROOT } from '../documents.js'
import { hasSamples, recorded } from './console-blocks.js'
import { SampleSession } from './sample-session.js'
import { shapeOf } from './shape.js'

/** The pages of {@link documents} that show recorded runs. */
export const withSamples = (pages: readonly Document[]): Document[] =>
  pages.filter(({ text }) => hasSamples(text))

/** Returns the text of a page with every sample as the built program prints it now. */
export async function recordPage({ path, text }: Document): Promise<string> {
  const session = await SampleSession.open()
  try {
    return await recorded(text, session)
  } catch (thrown) {
    throw new Error(`${path.slice(ROOT.length)} cannot be recorded`, { cause: thrown })
  } finally {
    await session.close()
  }
}

/** Returns true when a sample shows something that the program no longer prints, or no longer prints like this. */
export const isStale = (current: string, now: string): boolean => shapeOf(current) !== shapeOf(now)
