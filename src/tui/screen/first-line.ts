/** The parts of the first line of a view; an empty one has nothing to say. */
export interface FirstLineParts {
  figures: string
  /** What the filter and the order do to the list. */
  filtered: string
  /** How old the content is, and why. */
  stale: string
}

/** Returns the first line of a view. */
export type FirstLine = (parts: FirstLineParts) => string

/** A view whose age matters most. */
export const AGE_FIRST: FirstLine = ({ stale, filtered, figures }) => joined('  ', [stale, filtered, figures])

/** A view whose age comes after everything else. */
export const AGE_LAST: FirstLine = ({ stale, filtered, figures }) => joined('  ', [figures, filtered, stale])

/** A view whose age is elsewhere: its message has it. */
export const WITHOUT_AGE: FirstLine = ({ filtered, figures }) => joined(', ', [figures, filtered])

/** A view whose figures say everything. */
export const FIGURES_ALONE: FirstLine = ({ figures }) => figures

const joined = (gap: string, parts: readonly string[]) => parts.filter((part) => part !== '').join(gap)
