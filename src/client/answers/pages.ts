/** The most rows of one page of the API. */
const PAGE = 1000

/** Reads pages of a list until it has the rows that the user asked for, or all. */
export async function allPages<Row>(
  limit: number | undefined,
  read: (
    limit: number,
    before: string | undefined,
  ) => Promise<{ rows: readonly Row[]; next: string | null | undefined }>,
): Promise<Row[]> {
  const rows: Row[] = []
  let before: string | undefined
  for (;;) {
    const page = await read(Math.min(PAGE, (limit ?? Infinity) - rows.length), before)
    rows.push(...page.rows)
    if (!page.next || (limit !== undefined && rows.length >= limit)) return rows
    before = page.next
  }
}
