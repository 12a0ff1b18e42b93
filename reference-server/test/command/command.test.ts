import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import Database from 'better-sqlite3'
import { runCommand, settingsOf } from './run-command.ts'

const directory = mkdtempSync(join(tmpdir(), 'countersign-command-'))
after(() => rmSync(directory, { recursive: true }))
let made = 0
const name = (suffix: string) => join(directory, `${++made}-${suffix}`)

describe('countersign', () => {
  it('shows its commands and their arguments', async () => {
    const overview = await runCommand(['--help'])
    assert.equal(overview.status, 0)
    for (const command of ['init', 'backup']) {
      assert.ok(overview.out.includes(`  ${command} `))
      const { status, out } = await runCommand([command, '--help'])
      assert.equal(status, 0)
      assert.match(out, new RegExp(`^Usage: countersign ${command} `))
    }
  })

  it('ends with 2 and says what was expected when its arguments are wrong', async () => {
    for (const [args, message] of [
      [[], /expected a command, got none/],
      [['constructor'], /expected a command, got constructor/],
      [['backup'], /no database is named|expected TO/],
      [['backup', 'a', 'b', '--database', 'c'], /expected TO after backup, got a b/],
      [['backup', 'a'], /no database is named: give --database FILE, or set COUNTERSIGN_DATABASE/],
      [['backup', 'a', '--odd'], /--odd/],
      [['init', '--name', 'A'], /--email is missing/],
      [['init', '--name', 'A', '--email', 'a@b.example'], /COUNTERSIGN_MASTER_KEY: is missing/],
    ] as const) {
      const { status, out, err } = await runCommand(args)
      assert.equal(status, 2, args.join(' '))
      assert.match(err, message)
      assert.equal(out, '')
    }
    const { status, out } = await runCommand(['backup', 'a', '--json'])
    assert.equal(status, 2)
    assert.deepEqual([JSON.parse(out).ok, typeof JSON.parse(out).error], [false, 'string'])
  })
})

describe('init and backup', () => {
  it('make an organization whose admin is in the copy', async () => {
    const place = name('place')
    const database = join(place, 'countersign.sqlite')
    const environment = settingsOf(database)
    const args = ['init', '--name', 'Example', '--email', 'ada@example.com', '--json']
    const first = await runCommand(args, { environment })
    assert.equal(first.status, 0, first.err)
    const facts = JSON.parse(first.out)
    assert.equal(facts.ok, true)
    assert.ok(facts.password.length >= 20)
    assert.equal(statSync(place).mode & 0o777, 0o700)
    assert.equal(statSync(database).mode & 0o777, 0o600)

    const twin = await runCommand(args, { environment })
    assert.equal(twin.status, 1)
    assert.match(twin.err, /admin\/email/)
    const given = ['init', '--name', 'Other', '--email', 'bo@example.com', '--password-stdin']
    const second = await runCommand(given, { environment, input: 'a long password\nmore' })
    assert.equal(second.status, 0, second.err)
    assert.doesNotMatch(second.out, /password/)

    const to = name('backup.sqlite')
    writeFileSync(`${to}.draft`, 'of a backup that was killed')
    const copied = await runCommand(['backup', to], { environment })
    assert.equal(copied.status, 0, copied.err)
    assert.equal(statSync(to).mode & 0o777, 0o600)
    const copy = new Database(to, { readonly: true })
    const emails = copy.prepare('SELECT emailKey FROM members ORDER BY 1').pluck().all()
    copy.close()
    assert.deepEqual(emails, ['ada@example.com', 'bo@example.com'])

    const again = await runCommand(['backup', to], { environment })
    assert.equal(again.status, 1)
    assert.match(again.err, /is there already/)
    assert.deepEqual(
      readdirSync(directory).filter((file) => /\.(draft|partial)$/.test(file)),
      [],
    )
  })

  it('makes no database where there is none to copy', async () => {
    const nowhere = name('nowhere.sqlite')
    const { status, err } = await runCommand(['backup', name('to.sqlite'), '--database', nowhere])
    assert.equal(status, 1)
    assert.match(err, /there is no database/)
    assert.equal(existsSync(nowhere), false)
  })
})
