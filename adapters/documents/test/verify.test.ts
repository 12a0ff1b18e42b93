import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type EvidenceKeys, readEvidenceKeys, verdictOf } from '@countersign/core/evidence'
import { sampleAnchor, sampleEvidence } from '@countersign/core/testing'
import { verifyFile } from '@countersign/documents/verify'
import { main } from '../verify/command.ts'
import { otherForm } from '../verify/one-form.ts'
import { structureOf } from '../verify/repeated-member.ts'
import { forgeries, genuineOf } from './forged-documents.ts'
import {
  fileOf,
  folder,
  issuer,
  packedAgain,
  packOf,
  sampleMembers,
  stranger,
  zipOf,
} from './packs.ts'
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
    const byOwnKey = await run(file)
    assert.equal(byOwnKey.status, 2)
    assert.match(byOwnKey.out, /NOT VERIFIED, issuer UNCHECKED[\s\S]*--keys FILE/)
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

  it('verifies packs as the service makes them by the keys that it published, and by no others', async () => {
    const { keys: published, sealer: _, ...made } = await fromService
    for (const [name, bytes] of Object.entries(made)) {
      const { verdict, findings } = await verifyFile(fileOf(bytes), published)
      assert.equal(verdict, 'verified', `${name}: ${JSON.stringify(findings)}`)
      // The key that came with a pack can be anybody's.
      const byOwn = await verifyFile(fileOf(bytes), null)
      assert.equal(byOwn.verdict, 'undecided', name)
      const open = byOwn.findings.filter(({ result }) => result === 'unchecked')
      assert.deepEqual(
        open.map(({ check, about }) => `${check}, ${about}`),
        ['issuer, public-key.json'],
      )
    }
  })

  it('says whether something from before stands behind what it verified', async () => {
    const pack = fileOf(await packOf(sampleMembers()))
    const evidence = sampleEvidence({ seed: 11, steps: 2 })
    const erased = sampleEvidence({ seed: 12, steps: 1, erased: true })
    const both = fileOf(
      JSON.stringify([evidence, erased].map(({ integrity }) => integrity.merkle?.merkleRoot)),
      'roots.json',
    )
    const lines = [evidence, erased].map(({ integrity }) => integrity.merkle?.merkleRoot).join('\n')
    const alone = await run('--keys', keyFile, pack)
    assert.match(alone.out, /: VERIFIED, self-consistent, not witnessed\n/)
    for (const known of [both, fileOf(`${lines}\n`, 'roots.txt')]) {
      const witnessed = await run('--keys', keyFile, '--known', known, pack)
      assert.equal(witnessed.status, 0, witnessed.out)
      assert.match(witnessed.out, /: VERIFIED, witnessed by what is known from before\n/)
    }
    const other = fileOf(JSON.stringify(sampleEvidence({ seed: 11, steps: 3 })), 'other.json')
    assert.equal((await run('--keys', keyFile, '--known', other, pack)).status, 1)
    const one = fileOf(JSON.stringify(evidence), 'one.json')
    assert.equal((await run('--keys', keyFile, '--known', one, pack)).status, 2)
    const part = fileOf(`${evidence.integrity.merkle?.merkleRoot}\n`, 'part.txt')
    assert.equal((await run('--keys', keyFile, '--known', part, pack)).status, 2)
    assert.equal((await run('--known', fileOf('{}', 'none.json'), pack)).status, 2)
  })

  it('compares the whole file with the SHA-256 or the record that is given', async () => {
    const bytes = await packOf(sampleMembers())
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const [pack, other] = [fileOf(bytes), 'ab'.repeat(32)]
    const record = (of: object) => fileOf(JSON.stringify(of), 'record.json')
    const given = (...args: readonly string[]) => run('--keys', keyFile, ...args, pack)
    assert.equal((await given('--sha256', sha256)).status, 0)
    assert.equal((await given('--record', record({ packageId: 'exp_1', sha256 }))).status, 0)
    assert.equal((await given('--record', record({ data: { sha256 } }))).status, 0)
    for (const args of [
      ['--sha256', other],
      ['--record', record({ sha256: other })],
    ]) {
      const { status, out } = await given(...args)
      assert.equal(status, 1)
      assert.match(out, /First thing wrong: file, whole file: Its SHA-256 is/)
    }
    assert.equal((await given('--sha256', 'ab')).status, 2)
    assert.equal((await given('--record', record({}))).status, 2)
  })

  it('refuses what its issuer would have written otherwise, or not in UTF-8', async () => {
    const text = JSON.stringify(sampleEvidence())
    const forms: readonly (readonly [string | Uint8Array, string])[] = [
      [text.replace('"revision":1', '"revision":1.0'), 'failed'],
      [text.replace('"revision":1', '"revision":1e0'), 'failed'],
      [text.replace('"tenantId"', '"\\u0074enantId"'), 'failed'],
      [
        Buffer.concat([
          Buffer.from(text.slice(0, 40)),
          Buffer.from([0xff]),
          Buffer.from(text.slice(40)),
        ]),
        'failed',
      ],
      [`\ufeff${text}`, 'undecided'],
      [text.replaceAll('","', '", "'), 'verified'],
    ]
    for (const [form, expected] of forms) {
      const { verdict } = await verifyFile(fileOf(form, 'form.json'), keys)
      assert.equal(verdict, expected, Buffer.from(form).toString().slice(0, 120))
    }
    const files = new Map(sampleMembers())
    const path = [...files.keys()].find((name) => name.endsWith('evidence.json')) ?? ''
    const packed = await packOf(files.set(path, Buffer.from('{"another":"document"}')))
    const { firstFailure } = await verifyFile(fileOf(packed), keys)
    assert.equal(firstFailure?.check, 'form')
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
      const packed = await packedAgain(files, issuer, { packType: 'bulk' })
      const { findings } = await verifyFile(fileOf(packed), null)
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
    assert.equal(structureOf('{"a":{"b":1},"b":["b","b",{"b":"a:b"}],"\\u0061":2}').repeated, 'a')
    assert.deepEqual(structureOf('{"a":"\\",\\"a\\":1","c":[{"x":1},{"x":2}],"d":{"a":1,"c":2}}'), {
      repeated: null,
      levels: 3,
    })
  })

  it('fails a document with an object where a text belongs, as any other change', async () => {
    const text = JSON.stringify(sampleEvidence())
    for (const member of ['sessionId', 'startedAt', 'stepId']) {
      const changed = text.replace(
        new RegExp(`"${member}":"[^"]*"`),
        `"${member}":{"toString":null}`,
      )
      assert.notEqual(changed, text, member)
      const { status, out } = await run('--keys', keyFile, fileOf(changed, 'textless.json'))
      assert.equal(status, 1, `${member}: ${out}`)
    }
  })

  it('reads texts of any length, of plain characters and of escapes', () => {
    for (const long of ['a'.repeat(2 ** 24), '\\n'.repeat(2 ** 23), 'a\\"'.repeat(2 ** 22)]) {
      const text = `{"a":"${long}","b":{"c":1},"b":"\\\\"}`
      assert.equal(structureOf(text).repeated, 'b')
      assert.equal(structureOf(text.replace('"b"', '"d"')).repeated, null)
      assert.equal(otherForm(text), null)
      assert.equal(otherForm(text.replace('1', '1.0')), '1.0')
    }
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
