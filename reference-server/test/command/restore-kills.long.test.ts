import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { scratchDirectory } from '../processes/scratch.ts'
import { killRestore, prepareRestores, type RestoreStage } from './restore-support.ts'

describe('restore, killed before any of its steps', () => {
  const directory = scratchDirectory()
  let stage: RestoreStage

  before(async () => {
    stage = await prepareRestores(directory)
  })

  for (const what of ['backup', 'in place'] as const)
    it(`(${what}) leaves the one database or the other, and is begun anew by the same command`, async () => {
      const seen: string[] = []
      for (let at = 1; ; at++) {
        const { left, ended } = await killRestore(stage, what, at)
        seen.push(left)
        if (ended) break
      }
      assert.deepEqual([...new Set(seen)], ['old', 'new'], seen.join())
    })
})
