import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type EvidenceKeys, readEvidenceKeys, verdictOf } from '@countersign/core/evidence'
import { sampleAnchor, sampleEvidence } from '@countersign/core/testing'
import { verifyFile } from '@countersign/documents/verify'
import { main } from '../verify/command.ts'
import { repeatedMember } from '../verify/repeated-member.ts'
import { forgeries, genuineOf } from './forged-documents.ts'
import { fileOf, folder, issuer, packOf, sampleMembers, stranger, zipOf } from './packs.ts'
import { servicePacks } from './service.ts'
import { filesOf, type Judge, missed, missedAlone, targets } from './tamper-property.ts'

const keys = readEvidenceKeys(issuer.jwk) as EvidenceKeys
const keyFile = fileOf(JSON.stringify({ keys: [issuer.jwk] }), 'keys.json')
const strangerFile = fileOf(JSON.stringify({ keys: [stranger.jwk] }), 'stranger.json')

const fromService = servicePacks()
const packs = targets(fromService)

async function run(...args: readonly string[]) {
  const told = { out: '', err: '' }
  const status = await main(args, {
    out: (text) => {
      told.out += text
    },
    err: (text) => {
      told.err += text
    },
  })
  return { status, ...told }
}

describe('countersign-verify', () => {
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('verifies a pack with every document in it', async () => {
    const file = fileOf(await packOf(sampleMembers()))
    const report = await verifyFile(file, keys)
    assert.equal(report.verdict, 'verified', JSON.stringify(report.findings, null, 1))
    assert.equal(report.kind, 'pack')
    const leaves = report.findings.filter(
      ({ check, result }) => check === 'leaf' && result === 'verified',
    )
    assert.equal(leaves.length, 2)
    assert.equal((await verifyFile(file, null)).verdict, 'verified')
    const byStranger = await run('--keys', strangerFile, file)
    assert.equal(byStranger.status, 1)
    assert.match(
      byStranger.out,
      /First thing wrong: signature, public-key\.json: .* another issuer/,
    )
  })

  it('misses no tampering of 90', async () => {
    assert.deepEqual(await missed(await packs, 90, 1), [])
  })

  it('is proven by tests that broken verifiers fail', async () => {
    const attacked = await packs
    const blindTo =
      (...checks: readonly string[]): Judge =>
      async (file, given) => {
        const { findings } = await verifyFile(file, given)
        const seen = findings.filter(
          ({ check, result }) => result === 'verified' || !checks.includes(check),
        )
        return { findings: seen, verdict: verdictOf(seen) }
      }
    assert.notDeepEqual(await missed(attacked, 36, 1, blindTo('file')), [])
    assert.notDeepEqual(await missed(attacked, 36, 1, blindTo('signature', 'manifest')), [])
  })

  it('verifies packs as the service makes them, with the keys that came with them or were published', async () => {
    const { keys: published, ...made } = await fromService
    for (const [name, bytes] of Object.entries(made))
      for (const given of [published, null]) {
        const { verdict, findings } = await verifyFile(fileOf(bytes), given)
        assert.equal(verdict, 'verified', `${name}: ${JSON.stringify(findings)}`)
      }
  })

  it('checks what an auditor relies on even where the issuer itself sealed it', async () => {
    const { auditor } = await fromService
    const forged = async (path: RegExp, change: (text: string) => string) => {
      const files = new Map(await filesOf(auditor))
      const found = [...files].find(([name]) => path.test(name))
      assert.ok(found)
      const text = Buffer.from(found[1]).toString()
      assert.notEqual(change(text), text)
      files.set(found[0], Buffer.from(change(text)))
      for (const name of ['manifest.json', 'manifest.sig', 'public-key.json', 'README.txt'])
        files.delete(name)
      const { findings } = await verifyFile(fileOf(await packOf(files)), null)
      return findings.filter(({ result }) => result === 'failed').map(({ check }) => check)
    }
    const audit = /audit-log\.jsonl$/
    assert.deepEqual(await forged(audit, (text) => text.replace('"actor":"', '"actor":"x')), [
      'chain',
    ])
    assert.deepEqual(await forged(audit, (text) => text.replace(/^.*\n.*\n/, '')), [])
    assert.deepEqual(await forged(audit, (text) => text.replace(/\n.*\n/, '\n')), ['chain'])
    assert.deepEqual(await forged(audit, () => 'no log\n'), ['form'])
    assert.deepEqual(
      await forged(audit, (text) => text.replace('"actor"', '"subject":"x","actor"')),
      ['form'],
    )
    const batches = /batches\.jsonl$/
    assert.deepEqual(
      await forged(batches, (text) => text.replace(/"leafHash":"./, '"leafHash":"g')),
      ['batch'],
    )
    assert.deepEqual(
      await forged(batches, (text) => text.replace(/"anchorSequence":\d+/, '"anchorSequence":9')),
      ['batch'],
    )
  })

  it('takes no document by itself for verified that nothing signed covers', async () => {
    const { keys: published } = await fromService
    const genuine = genuineOf(await packs)
    for (const [name, make] of Object.entries(forgeries))
      for (const given of [published, null]) {
        const { verdict, findings } = await verifyFile(fileOf(make(genuine), 'alone.json'), given)
        const told = `${name}: ${JSON.stringify(findings)}`
        assert.notEqual(verdict, 'verified', told)
        assert.ok(
          findings.some(({ result }) => result === 'failed' || result === 'unchecked'),
          told,
        )
      }
  })

  it('tells an auditor what a proof and a list show by themselves, by status 2', async () => {
    const genuine = genuineOf(await packs)
    const [proof, forged] = [
      await run(fileOf(genuine.proof, 'proof.json')),
      await run(fileOf(forgeries['a proof of nothing']?.(genuine) ?? '', 'forged.json')),
    ]
    for (const { status, out } of [proof, forged]) {
      assert.equal(status, 2)
      assert.match(out, /NOT VERIFIED[\s\S]*open {3}issuer, session \S+: Checked was arithmetic/)
    }
    for (const text of [genuine.batches, genuine.auditLog]) {
      const { status, out } = await run(fileOf(text, 'list.jsonl'))
      assert.equal(status, 2)
      assert.match(
        out,
        /NOT VERIFIED[\s\S]*Not checked was who issued it[\s\S]*Verify the whole pack/,
      )
    }
  })

  it('misses no changed byte of 300 in signed documents by themselves', async () => {
    assert.deepEqual(await missedAlone(await packs, 300, 1), [])
  })

  it('names the first bad file', async () => {
    const files = new Map(await filesOf(await packOf(sampleMembers())))
    const path = [...files.keys()].filter((name) => name.endsWith('session.csv'))[0] ?? ''
    files.set(path, Buffer.from('row_type\r\n'))
    const { status, out } = await run(fileOf(await zipOf(files)))
    assert.equal(status, 1)
    assert.match(out, new RegExp(`First thing wrong: file, ${path}: It was changed`))
  })

  it('verifies single documents and ledgers by the keys given', async () => {
    const evidence = fileOf(JSON.stringify(sampleEvidence()), 'evidence.json')
    const alone = await run(evidence)
    assert.equal(alone.status, 2)
    assert.match(alone.out, /NOT VERIFIED[\s\S]*--keys FILE/)
    const first = sampleAnchor(issuer, { root: '01'.repeat(32), nonce: '02'.repeat(32) })
    const ledger = fileOf(`${JSON.stringify({ ...first, nonce: null })}\n`, 'anchors.jsonl')
    const both = await run('--keys', keyFile, '--json', evidence, ledger)
    assert.equal(both.status, 0)
    const report = JSON.parse(both.out) as {
      readonly files: readonly { readonly verdict: string }[]
    }
    assert.deepEqual(
      report.files.map(({ verdict }) => verdict),
      ['verified', 'verified'],
    )
  })

  it('refuses a document with a member twice, whichever a parser would keep', async () => {
    const text = JSON.stringify(sampleEvidence())
    const twice = text.replace('"tenantId"', '"organizationName":"Another","tenantId"')
    const { status, out } = await run('--keys', keyFile, fileOf(twice, 'twice.json'))
    assert.equal(status, 1)
    assert.match(out, /"organizationName" twice/)
    assert.equal(repeatedMember('{"a":{"b":1},"b":["b","b",{"b":"a:b"}],"\\u0061":2}'), 'a')
    assert.equal(
      repeatedMember('{"a":"\\",\\"a\\":1","c":[{"x":1},{"x":2}],"d":{"a":1,"c":2}}'),
      null,
    )
  })

  it('tells files that it can not read, and a wrong use, by status 2', async () => {
    assert.equal((await run('/nonexistent.zip')).status, 2)
    assert.equal((await run(fileOf('not json', 'a.json'))).status, 2)
    assert.equal((await run(fileOf('PK damaged'))).status, 1)
    assert.equal((await run()).status, 2)
    assert.equal((await run('--wrong')).status, 2)
    assert.equal((await run('--keys', fileOf('{}', 'k.json'), keyFile)).status, 2)
    assert.equal((await run('--help')).status, 0)
  })

  it('shows no control characters of what it verifies', async () => {
    const document = { ...sampleEvidence(), session: { sessionId: '\u001b[2Jok\u202e' } }
    const { out } = await run('--keys', keyFile, fileOf(JSON.stringify(document), 'c.json'))
    for (const hidden of ['\u001b', '\u202e']) assert.ok(!out.includes(hidden))
  })

  it('runs as a command of its own', () => {
    const program = fileURLToPath(new URL('../../verify.mjs', import.meta.url))
    const { status, stdout } = spawnSync(process.execPath, [program, '--help'], {
      encoding: 'utf8',
    })
    assert.equal(status, 0)
    assert.match(stdout, /countersign-verify/)
  })
})
