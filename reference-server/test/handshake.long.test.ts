import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { ensureLocalCa } from '@countersign/node/local-ca'
import { pino } from 'pino'
import { readConfig } from '../config.ts'
import { listen } from '../listen.ts'
import { openTlsFiles } from '../tls.ts'
import { settingsOf } from './command/run-command.ts'
import { scratchDirectory } from './processes/scratch.ts'

const directory = scratchDirectory()

test('a client that never says a word of TLS is cut after 10 s', async () => {
  const file = (name: string) => join(directory, name)
  const authority = await ensureLocalCa(file('ca'), { now: Date.now() })
  const { key, cert } = await authority.certFor(['localhost'])
  writeFileSync(file('key'), key)
  writeFileSync(file('cert'), cert)
  const logger = pino({ level: 'silent' })
  const config = readConfig({
    ...settingsOf(file('countersign.sqlite')),
    COUNTERSIGN_TLS_KEY_FILE: file('key'),
    COUNTERSIGN_TLS_CERT_FILE: file('cert'),
  })
  const tls = openTlsFiles(config, logger)
  const listener = await listen({
    setting: 'COUNTERSIGN_PORTAL_PORT',
    host: '127.0.0.1',
    port: 0,
    tls,
    maxConnections: 10,
    logger,
    handler: (_, response) => response.end(),
  })
  const socket = connect({ host: '127.0.0.1', port: listener.port })
  socket.on('error', () => {})
  const from = performance.now()
  await once(socket.resume(), 'close')
  const seconds = (performance.now() - from) / 1_000
  assert.ok(seconds > 8 && seconds < 25, `${seconds} s`)
  await listener.close(100)
  tls.close()
})
