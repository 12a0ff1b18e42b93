import assert from 'node:assert/strict'
import { copyFileSync, existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import Database from 'better-sqlite3'
import pg from 'pg'
import { composeServer } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { missing, postgresServer } from '../postgres-server.ts'
import { scratchDirectory } from '../processes/scratch.ts'
import { isWhole, prepareIngest, sendSession } from './ingest-support.ts'
import { runCommand, settingsOf } from './run-command.ts'

const sessions = 3

/** Asks a database of the test's server, or makes it. */
async function ask(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text).finally(() => client.end())
}

/** A PostgreSQL database with nothing in it. */
async function emptyDatabase(name: string): Promise<string> {
  const { url } = await postgresServer()
  await ask(url, `create database ${name}`)
  return url.replace(/postgres$/, name)
}

/** The database of a server that took some sessions, beside a PostgreSQL database. */
async function stage(name: string) {
  const database = join(scratchDirectory(), 'countersign.sqlite')
  const file = { ...settingsOf(database), COUNTERSIGN_LOG_LEVEL: 'silent' }
  const server = await composeServer(readConfig(file))
  const prepared = await prepareIngest(server.service, 'ada@example.com')
  for (let at = 0; at < sessions; at++) await sendSession(server.service, prepared, at)
  await server.stop()
  const url = await emptyDatabase(name)
  const shared = {
    ...file,
    COUNTERSIGN_DATABASE_URL: url,
    COUNTERSIGN_BLOBS: `${database}.blobs`,
  }
  const onServer = Object.fromEntries(
    Object.entries(shared).filter(([setting]) => setting !== 'COUNTERSIGN_DATABASE'),
  )
  const command = async (name: string, environment: Readonly<Record<string, string>>) => {
    const { status, out, err } = await runCommand([name, '--json'], { environment })
    return { status, err, facts: JSON.parse(out) as Readonly<Record<string, unknown>> }
  }
  return { database, url, file, shared, onServer, prepared, command }
}

describe('countersign migrate-store', { skip: missing ?? false }, () => {
  it('moves all of a file to PostgreSQL, where a server goes on with it', async () => {
    const { database, file, shared, onServer, prepared, command } = await stage('whole')
    const before = await command('check', file)
    const moved = await command('migrate-store', shared)
    assert.equal(moved.status, 0, moved.err)
    assert.equal(moved.facts.copied, true)
    const checked = await command('check', onServer)
    assert.deepEqual([checked.status, checked.facts.problems], [0, []], checked.err)
    assert.deepEqual(checked.facts.logs, before.facts.logs)
    assert.ok((checked.facts.logs as readonly unknown[]).length > 0)

    const server = await composeServer(readConfig(onServer))
    for (let at = 0; at < sessions; at++)
      assert.ok(await isWhole(server.service, prepared, at), `session ${at}`)
    await sendSession(server.service, prepared, sessions)
    assert.ok(await isWhole(server.service, prepared, sessions))
    await server.stop()

    assert.deepEqual([existsSync(database), existsSync(`${database}.migrated`)], [false, true])
    await assert.rejects(composeServer(readConfig(file)), /moved away or removed/)
  })

  it('ends what was killed before the file had its other name', async () => {
    const { database, shared, command } = await stage('ended')
    copyFileSync(database, `${database}.copy`)
    const first = await command('migrate-store', shared)
    assert.equal(first.status, 0, first.err)
    copyFileSync(`${database}.copy`, database)
    const beside = await command('migrate-store', shared)
    assert.match(beside.err, /migrated is there already/)
    renameSync(`${database}.migrated`, `${database}.first`)
    const again = await command('migrate-store', shared)
    assert.equal(again.status, 0, again.err)
    assert.equal(again.facts.copied, false)
    assert.deepEqual(again.facts.collections, first.facts.collections)
  })

  it('refuses a database that holds other data, and moves nothing', async () => {
    const { database, url, shared, command } = await stage('taken')
    const other = await stage('other')
    const taken = { ...other.shared, COUNTERSIGN_DATABASE_URL: url }
    assert.equal((await other.command('migrate-store', taken)).status, 0)
    const refused = await command('migrate-store', shared)
    assert.equal(refused.status, 1)
    assert.match(refused.err, /holds other data already/)
    assert.deepEqual([existsSync(database), existsSync(`${database}.migrated`)], [true, false])
  })

  it('refuses a file that a server has open, and one with a changed log', async () => {
    const { database, file, shared, command } = await stage('unsound')
    const server = await composeServer(readConfig(file))
    assert.equal((await command('migrate-store', shared)).status, 1)
    await server.stop()
    const db = new Database(database)
    db.exec(`UPDATE _logs SET entry = x'00' WHERE position = 1`)
    db.close()
    const refused = await command('migrate-store', shared)
    assert.equal(refused.status, 1)
    assert.match(refused.err, /is not sound.*\n.*log audit/)
    assert.ok(existsSync(database))
  })
})
