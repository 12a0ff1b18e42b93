import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startKitReceiver } from '@countersign/conformance/broken'
import { properties, runReceiverSuite, textReport } from '@countersign/conformance/receiver'
import { createReceiver } from '@countersign/receiver-kit'
import { expressHandler } from '@countersign/receiver-kit/express'
import { createTestSigner } from '@countersign/receiver-kit/testing'
import { openSqliteInbox } from '@countersign/sqlite'
import express from 'express'
import { sharedSecret } from './support.ts'

describe('the kit behind Express with the SQLite inbox', () => {
  it('passes the whole receiver suite, restarts included', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-conformance-'))
    const inbox = openSqliteInbox({ file: join(folder, 'inbox.db') })
    const privateKey = `whsk_${Buffer.alloc(32, 5).toString('base64')}`
    const legacySecret = 'the secret of the legacy family'
    const running = await startKitReceiver(
      { verifyKeys: [sharedSecret, createTestSigner({ privateKey }).key], legacySecret },
      {
        inbox,
        createReceiver,
        host: (receiver) => express().all('/', expressHandler(receiver)),
      },
    )
    try {
      const { url, probe } = running
      const report = await runReceiverSuite({
        ...{ url, probe, keys: [sharedSecret, privateKey], legacySecret, budgetMs: 300_000 },
      })
      console.log(`${report.deliveries} deliveries, ${report.seconds} s, seed ${report.seed}`)
      assert.equal(report.passed, properties.length, textReport(report))
    } finally {
      await running.close()
      await inbox.close()
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
