import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect as connectPlain, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { collections, logs } from '@countersign/core'
import { ensureLocalCa } from '@countersign/node/local-ca'
import { openSqliteStore } from '@countersign/sqlite'
import { must } from '../../demo/client.ts'
import { unsettled } from '../../demo/evidence.ts'
import { until } from '../../demo/processes.ts'
import { scratchDirectory } from './scratch.ts'
import { openSink } from './sink.ts'
import {
  openingOf,
  prepareStage,
  type ServerOptions,
  type Stage,
  type StagedServer,
} from './stage.ts'

const directory = scratchDirectory()
const skip = process.platform === 'linux' ? false : 'no /proc and no ulimit'

describe('the listeners', { skip }, () => {
  let stage: Stage

  before(async () => {
    stage = await prepareStage(directory)
  })
  after(() => stage.end())

  async function ended(server: StagedServer): Promise<void> {
    server.process.kill('SIGTERM')
    assert.equal(await server.exit, 0)
  }

  async function started(options: ServerOptions) {
    let complaints = ''
    const complaint = (text: string) => {
      complaints += text
    }
    const server = await stage.start({ ...options, complaint })
    return { server, complaints: () => complaints }
  }

  it('survive without file descriptors', async () => {
    const preload = new URL('./exhaust-files-preload.js', import.meta.url)
    const { server, complaints } = await started({ preload, shell: 'ulimit -n 256' })
    server.process.kill('SIGWINCH')
    await until('no descriptor to be left', 5_000, async () => complaints().includes('exhausted'))
    const port = Number(new URL(server.portal).port)
    for (let at = 0; at < 20; at++) {
      const socket = connectPlain({ host: '127.0.0.1', port })
      socket.on('error', () => {})
      socket.setTimeout(100, () => socket.destroy())
      await once(socket, 'close')
    }
    server.process.kill('SIGWINCH')
    await until('descriptors', 5_000, async () => complaints().includes('released'))
    await until('the portal to answer', 10_000, async () => {
      const answer = await fetch(`${server.portal}/v1/auth/session`).catch(() => null)
      await answer?.arrayBuffer()
      return answer?.status === 401
    })
    assert.equal((await fetch(`${server.staff}/readyz`)).status, 200)
    await ended(server)
  })

  it('close what comes beyond their limit, and health answers all the same', async () => {
    const environment = { COUNTERSIGN_MAX_CONNECTIONS: '5' }
    const { server } = await started({ environment })
    const port = Number(new URL(server.portal).port)
    const open = new Set<Socket>()
    const sockets = Array.from({ length: 40 }, () => {
      const socket = connectPlain({ host: '127.0.0.1', port })
      open.add(socket)
      socket.on('error', () => {}).on('close', () => open.delete(socket))
      return socket.resume()
    })
    await until('the others to be closed', 10_000, async () => open.size <= 5)
    assert.ok(open.size > 0)
    assert.equal((await fetch(`${server.staff}/livez`)).status, 200)
    for (const socket of sockets) socket.destroy()
    await ended(server)
  })

  it('serve a renewed certificate without a restart, and keep the old one when it does not fit', async () => {
    const file = (name: string) => join(directory, name)
    const authority = await ensureLocalCa(file('renewed-ca'), { now: Date.now() })
    const write = async (names: readonly string[]) => {
      const { key, cert } = await authority.certFor(names)
      writeFileSync(file('tls.key'), key)
      writeFileSync(file('tls.crt'), cert)
    }
    await write(['localhost'])
    const { server } = await started({
      environment: {
        COUNTERSIGN_TLS_KEY_FILE: file('tls.key'),
        COUNTERSIGN_TLS_CERT_FILE: file('tls.crt'),
      },
    })
    const ca = readFileSync(authority.caFile)
    const port = Number(new URL(server.portal).port)
    const names = async () => {
      const socket: TLSSocket = connectTls({ host: '127.0.0.1', port, servername: 'localhost', ca })
      await once(socket, 'secureConnect')
      const { subjectaltname } = socket.getPeerCertificate()
      socket.destroy()
      return subjectaltname
    }
    assert.equal(await names(), 'DNS:localhost')
    writeFileSync(file('tls.key'), 'half a key')
    server.process.kill('SIGUSR2')
    assert.equal((await fetch(`${server.staff}/livez`)).status, 200)
    assert.equal(await names(), 'DNS:localhost')
    await write(['localhost', 'renewed.localhost'])
    server.process.kill('SIGUSR2')
    await until('the new certificate', 5_000, async () =>
      ((await names()) ?? '').includes('renewed.localhost'),
    )
    await ended(server)
  })

  it('are those of the roles of the process', async () => {
    const { server } = await started({ environment: { COUNTERSIGN_ROLES: 'portal' } })
    const answers = await Promise.all(
      [server.ingest, server.portal, server.staff].map((origin) =>
        fetch(`${origin}/livez`).then(
          (answer) => answer.status,
          () => null,
        ),
      ),
    )
    assert.deepEqual(answers, [null, 404, 200])
    await ended(server)
  })

  it('of a process without dispatch send nothing, which one with it alone does', async (t) => {
    const sink = await openSink(stage.setup)
    t.after(() => sink.close())
    const { server } = await started({ environment: { COUNTERSIGN_ROLES: 'ingest' } })
    const opened = await must(
      server.application.ask('POST', '/v1/review-cases', openingOf('roles')),
    )
    assert.match(String(opened.reviewCaseId), /^rc_/)
    const owed = await unsettled(stage.setup)
    assert.ok(owed > 0)
    await ended(server)
    assert.deepEqual([await unsettled(stage.setup), sink.came.length], [owed, 0])
    const { server: dispatcher } = await started({ environment: { COUNTERSIGN_ROLES: 'dispatch' } })
    await until('the event to be sent', 60_000, async () => (await unsettled(stage.setup)) === 0)
    assert.ok(sink.came.length > 0)
    await ended(dispatcher)
  })

  it('open on an empty database, and the log names the next command', async () => {
    const database = join(directory, 'empty.sqlite')
    await openSqliteStore({ file: database, collections: collections as never, logs }).close()
    const { server, complaints } = await started({
      shell: 'exec 1>&2',
      environment: { COUNTERSIGN_DATABASE: database, COUNTERSIGN_LOG_LEVEL: 'warn' },
    })
    assert.match(complaints(), /countersign init/)
    await ended(server)
  })
})
