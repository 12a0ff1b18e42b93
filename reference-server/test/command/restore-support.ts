import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { highWaterOf } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { runCommand, settingsOf } from './run-command.ts'

export interface RestoreStage {
  readonly backup: string
  /** A copy of the database, with its mark, in a directory of its own. */
  place(): string
}

/** A database with two organizations, and a backup from when it had one. */
export async function prepareRestores(home: string): Promise<RestoreStage> {
  const seeded = join(home, 'seeded.sqlite')
  const backup = join(home, 'backup.sqlite')
  const environment = settingsOf(seeded)
  const init = (name: string) =>
    runCommand(['init', '--name', name, '--email', `${name}@example.com`], { environment })
  assert.equal((await init('first')).status, 0)
  assert.equal((await runCommand(['backup', backup], { environment })).status, 0)
  assert.equal((await init('second')).status, 0)
  return {
    backup,
    place() {
      const file = join(mkdtempSync(join(home, 'place-')), 'countersign.sqlite')
      copyFileSync(seeded, file)
      copyFileSync(`${seeded}.mark`, `${file}.mark`)
      return file
    },
  }
}

const command = fileURLToPath(new URL('../../../countersign.mjs', import.meta.url))
const preload = new URL('./kill-at-preload.js', import.meta.url).href

/** A command as a process that the preload kills or stops. */
export function startCommand(
  given: readonly string[],
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  const args = ['--import', preload, command, ...given, '--json']
  return spawn(process.execPath, args, { env: { PATH: process.env.PATH ?? '', ...environment } })
}

/** A restore as such a process. */
export function startRestore(
  file: string,
  from: string,
  environment: Readonly<Record<string, string>>,
): ChildProcess {
  return startCommand(['restore', from, '--database', file], environment)
}

interface Content {
  readonly tenants: number
  /** Of the audit logs: a restore adds one to that of each organization. */
  readonly entries: number
}

export function contentOf(file: string): Content {
  const db = new Database(file, { readonly: true })
  const count = (table: string) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  const content = { tenants: Number(count('tenants')), entries: Number(count('_logs')) }
  db.close()
  return content
}

export const untouched: Content = { tenants: 2, entries: 2 }

/** What is restored: the backup, or the database as it is. */
export type From = 'backup' | 'in place'

const restored = { backup: { tenants: 1, entries: 2 }, 'in place': { tenants: 2, entries: 4 } }

/**
 * Kills a restore before its step `at` (from 1), checks what is left, and does it again. Answers which database was
 * left, and whether the restore had fewer steps and so was not killed.
 */
export async function killRestore(
  { backup, place }: RestoreStage,
  what: From,
  at: number,
): Promise<{ readonly left: 'old' | 'new'; readonly ended: boolean }> {
  const file = place()
  const from = what === 'backup' ? backup : file
  const [status, signal] = await once(startRestore(file, from, { KILL_AT: String(at) }), 'exit')
  const found = contentOf(file)
  const isOld = isSame(found, untouched)
  assert.ok(isOld || isSame(found, restored[what]), `step ${at}: ${JSON.stringify(found)}`)
  const { kept, marked } = highWaterOf(file)
  assert.ok(kept >= marked, `step ${at}: a start would be refused`)
  const left = isOld ? 'old' : 'new'
  if (signal === null) {
    assert.equal(status, 0)
    return { left, ended: true }
  }
  const again = await runCommand(['restore', from, '--database', file])
  assert.equal(again.status, 0, `step ${at}: ${again.err}`)
  assert.equal(contentOf(file).tenants, restored[what].tenants)
  assert.equal((await runCommand(['check', '--database', file])).status, 0)
  const names = readdirSync(dirname(file))
  assert.deepEqual(
    names.filter((name) => name.includes('restoring')),
    [],
  )
  const asides = names.filter((name) => /replaced-\d+$/.test(name))
  assert.ok(
    asides.some((name) => isSame(contentOf(join(dirname(file), name)), untouched)),
    `step ${at}: what was there is not kept: ${names.join()}`,
  )
  return { left, ended: false }
}

const isSame = (one: Content, other: Content) =>
  one.tenants === other.tenants && one.entries === other.entries
