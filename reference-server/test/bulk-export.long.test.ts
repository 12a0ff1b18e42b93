import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startChild } from '../bench/child.ts'
import type { Exported, Given } from '../bench/children/export.ts'

const { COUNTERSIGN_PROVE: whole } = process.env
/** Of 50 sessions each. */
const applications = whole ? 20 : 6

test('a bulk export of hundreds of sessions takes less than 64 MiB', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'bulk-export-'))
  try {
    const given: Given = { directory, applications, sessionsPerApplication: 50 }
    const child = await startChild<null>('export', given)
    try {
      const { sessions, archiveMb, growthMb } = await child.ask<Exported>(null)
      assert.equal(sessions, applications * 50)
      assert.ok(archiveMb > applications * 2, `the archive has ${archiveMb} MiB`)
      assert.ok(growthMb < 64, `memory grew by ${growthMb} MiB`)
    } finally {
      await child.stop()
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
