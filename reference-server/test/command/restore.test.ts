import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { highWaterOf, writeMark } from '@countersign/sqlite'
import Database from 'better-sqlite3'
import { runCommand, settingsOf } from './run-command.ts'

const home = mkdtempSync(join(tmpdir(), 'countersign-restore-'))
after(() => rmSync(home, { recursive: true }))
/** A database with an organization, and a backup of it. */
const seeded = join(home, 'seeded.sqlite')
const backup = join(home, 'backup.sqlite')

before(async () => {
  const environment = settingsOf(seeded)
  const args = ['init', '--name', 'Example', '--email', 'ada@example.com']
  const { status, err } = await runCommand(args, { environment })
  assert.equal(status, 0, err)
  assert.equal((await runCommand(['backup', backup], { environment })).status, 0)
})

let made = 0
/** A copy of the database with its mark, in a directory of its own. */
function place(): { readonly directory: string; readonly file: string } {
  const directory = mkdtempSync(join(home, `${++made}-`))
  const file = join(directory, 'countersign.sqlite')
  copyFileSync(seeded, file)
  copyFileSync(`${seeded}.mark`, `${file}.mark`)
  return { directory, file }
}

const restore = (file: string, from = backup) =>
  runCommand(['restore', from, '--database', file, '--json'])

/** Without the header of a file, which says how it was last opened. */
const pagesOf = (file: string) => readFileSync(file).subarray(100)

function auditEntries(file: string): number {
  const db = new Database(file, { readonly: true })
  const [entries] = db.prepare('SELECT count(*) FROM _logs').raw().get() as [number]
  db.close()
  return entries
}

describe('restore', () => {
  it('keeps what was there, raises versions and passes the check', async () => {
    const { directory, file } = place()
    const { status, out, err } = await restore(file)
    assert.equal(status, 0, err)
    const facts = JSON.parse(out)
    assert.deepEqual(facts.rows, { members: 1, applications: 0, reviewCases: 0 })
    assert.ok(facts.raisedBy >= 60_000)
    assert.equal(facts.replaced, `${file}.replaced-1`)
    assert.deepEqual(pagesOf(facts.replaced), pagesOf(seeded))
    assert.equal(auditEntries(file), 2, 'the audit log has one entry more')
    const { kept, marked } = highWaterOf(file)
    assert.ok(kept === marked && kept > highWaterOf(seeded).marked)
    const check = await runCommand(['check', '--database', file])
    assert.equal(check.status, 0, check.out)
    assert.match(check.out, /no problem found\n {2}audit ten_\w+: 2 entries, head [0-9a-f]{64}\n/)
    assert.deepEqual(
      readdirSync(directory).filter((name) => name.includes('restoring')),
      [],
    )
  })

  it('raises further each time, so that one backup restored twice gives no number twice', async () => {
    const { file } = place()
    const versions: number[] = []
    for (let times = 0; times < 2; times++) {
      assert.equal((await restore(file)).status, 0)
      versions.push(JSON.parse((await restore(file)).out).raisedBy)
    }
    const [first = 0, second = 0] = versions
    assert.ok(second > first, `${second} is not above ${first}`)
  })

  it('leaves everything as it was where the backup is missing, damaged or none', async () => {
    const { directory, file } = place()
    const damaged = join(home, 'damaged.sqlite')
    const bytes = readFileSync(backup)
    bytes.fill(0xee, 4096 * 3, 4096 * 8)
    writeFileSync(damaged, bytes)
    const text = join(home, 'text.sqlite')
    writeFileSync(text, 'no database, but a text that is long enough'.repeat(200))
    for (const [from, message] of [
      [join(home, 'nowhere.sqlite'), /there is no backup/],
      [damaged, /damaged|malformed/],
      [text, /no SQLite database/],
    ] as const) {
      const { status, err } = await restore(file, from)
      assert.equal(status, 1)
      assert.match(err, message)
      assert.deepEqual(pagesOf(file), pagesOf(seeded))
      const left = readdirSync(directory).filter((name) => !name.endsWith('.lock'))
      assert.deepEqual(left.sort(), ['countersign.sqlite', 'countersign.sqlite.mark'])
    }
  })

  it('takes a database that has lost writes as it is, where a start refuses it', async () => {
    const { file } = place()
    writeMark(file, highWaterOf(file).marked + 5_000)
    const environment = settingsOf(file)
    const args = ['init', '--name', 'Other', '--email', 'bo@example.com']
    const refused = await runCommand(args, { environment })
    assert.equal(refused.status, 1)
    assert.match(refused.err, /has lost writes/)
    const way = / countersign restore (\S+) --database (\S+)\n/.exec(refused.err)
    assert.deepEqual(way?.slice(1), [file, file])
    const { status, err } = await restore(file, file)
    assert.equal(status, 0, err)
    const again = await runCommand(args, { environment })
    assert.equal(again.status, 0, again.err)
  })

  it('is begun anew after a kill, before which no start is let through', async () => {
    const { file } = place()
    // Killed between the two names of the swap.
    writeMark(file, Date.now() + 1_000)
    renameSync(file, `${file}.replaced-1`)
    copyFileSync(backup, `${file}.restoring`)
    writeFileSync(`${file}.restoring-wal`, 'half')
    const args = ['init', '--name', 'Other', '--email', 'bo@example.com']
    const refused = await runCommand(args, { environment: settingsOf(file) })
    assert.equal(refused.status, 1)
    assert.match(refused.err, /there is no database .* was moved away or removed/)
    assert.equal(existsSync(file), false)
    const { status, err } = await restore(file)
    assert.equal(status, 0, err)
    assert.equal(existsSync(`${file}.restoring-wal`), false)
    assert.equal((await runCommand(['check', '--database', file])).status, 0)
  })
})
