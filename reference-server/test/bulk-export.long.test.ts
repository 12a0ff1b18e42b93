import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startChild } from '../bench/child.ts'
import type { Exported, Given } from '../bench/children/export.ts'

test('a bulk export of 1,000 sessions takes less than 64 MiB', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'bulk-export-'))
  try {
    const given: Given = { directory, applications: 20, sessionsPerApplication: 50 }
    const child = await startChild<null>('export', given)
    try {
      const { sessions, archiveMb, growthMb } = await child.ask<Exported>(null)
      assert.equal(sessions, 1_000)
      assert.ok(archiveMb > 40, `the archive has ${archiveMb} MiB`)
      assert.ok(growthMb < 64, `memory grew by ${growthMb} MiB`)
    } finally {
      await child.stop()
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})
