import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'

test('svc schema says of each record what it is, in words of its own', async () => {
  const desk = await CliDesk.open()
  const rows: { record: string; about: string }[] = JSON.parse((await desk.svc('schema -o json')).stdout)
  const sentences = rows.map(({ about }) => about.replace(/ Version .*/, ''))
  expect(sentences.filter((sentence) => !/^[A-Z].{15,}\.$/.test(sentence))).toEqual([])
  expect(new Set(sentences).size).toBe(rows.length)
  const names = rows.map(({ record }) => record)
  expect(names).toEqual(expect.arrayContaining(['basket', 'plan', 'risk', 'context-status']))
  for (const { about } of rows) expect(about).toMatch(/ Version 1, as -o json prints it: svc \w/)
})
