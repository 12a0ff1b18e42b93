import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EvidenceDocument, signDocument } from '@countersign/core/evidence'
import { type SampleEvidence, sampleEvidence } from '@countersign/core/testing'
import { issuer } from './packs.ts'

/** Why no authority can be made on this machine; false where one can. */
export function hasNoOpenssl(): string | false {
  return spawnSync('openssl', ['version']).status === 0 ? false : 'needs openssl'
}

/** A time-stamping authority of `openssl ts`, with its own root. */
export interface TestAuthority {
  /** Of the root: PEM. */
  readonly rootFile: string
  /** The answer (`TimeStampResp`, DER) for a hex SHA-256. */
  stamp(digest: string): Uint8Array
  /** The answer to a request (`TimeStampReq`, DER). */
  answer(request: Uint8Array): Uint8Array
  /** The same stamp, signed with its own key, also where that is for something else. */
  signedAnew(answer: Uint8Array): Uint8Array
  remove(): void
}

const forStamps = 'critical,timeStamping'

/** Makes one; `usage` is the extended key usage of its certificate, `key` the kind of its key. */
export function createTestAuthority({
  usage = forStamps,
  key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
}: {
  readonly usage?: string
  readonly key?: readonly string[]
} = {}): TestAuthority {
  const cwd = mkdtempSync(join(tmpdir(), 'countersign-authority-'))
  const run = (...args: readonly string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd, encoding: 'utf8' })
    if (status !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr}`)
  }
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  const request = ['req', '-nodes', ...key, '-config', 'request.cnf']
  write('request.cnf', '[req]\ndistinguished_name = name\n[name]\n')
  write(
    'leaf.cnf',
    `basicConstraints=CA:false\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=${usage}\n`,
  )
  write(
    'tsa.cnf',
    [
      ...['[tsa]', 'default_tsa = witness', '[witness]', 'serial = ./serial'],
      ...['signer_cert = ./leaf.pem', 'certs = ./root.pem', 'signer_key = ./leaf.key'],
      ...['signer_digest = sha256', 'default_policy = 1.2.3.4.1', 'digests = sha256'],
      ...['ess_cert_id_alg = sha256', ''],
    ].join('\n'),
  )
  write('serial', '01')
  const root = ['-x509', '-days', '3650', '-subj', '/CN=Root', '-keyout', 'root.key']
  const isRoot = ['-addext', 'basicConstraints=critical,CA:true']
  run(
    ...request,
    ...root,
    ...isRoot,
    '-addext',
    'keyUsage=critical,keyCertSign',
    '-out',
    'root.pem',
  )
  run(...request, '-subj', '/CN=Witness', '-keyout', 'leaf.key', '-out', 'leaf.csr')
  const signed = ['-CA', 'root.pem', '-CAkey', 'root.key', '-CAcreateserial', '-days', '3650']
  run('x509', '-req', '-in', 'leaf.csr', ...signed, '-extfile', 'leaf.cnf', '-out', 'leaf.pem')
  const reply = () => {
    run('ts', '-reply', '-config', 'tsa.cnf', '-queryfile', 'query.tsq', '-out', 'reply.tsr')
    return Uint8Array.from(readFileSync(join(cwd, 'reply.tsr')))
  }
  return {
    rootFile: join(cwd, 'root.pem'),
    stamp(digest) {
      run('ts', '-query', '-digest', digest, '-sha256', '-cert', '-out', 'query.tsq')
      return reply()
    },
    answer(asked) {
      writeFileSync(join(cwd, 'query.tsq'), asked)
      return reply()
    },
    signedAnew(answer) {
      writeFileSync(join(cwd, 'reply.tsr'), answer)
      run('ts', '-reply', '-in', 'reply.tsr', '-token_out', '-out', 'token.der')
      const der = ['-inform', 'DER', '-binary']
      run('cms', '-verify', '-noverify', ...der, '-in', 'token.der', '-out', 'info.der')
      const by = ['-signer', 'leaf.pem', '-inkey', 'leaf.key', '-md', 'sha256', '-cades']
      const as = ['-outform', 'DER', '-econtent_type', '1.2.840.113549.1.9.16.1.4', '-nodetach']
      run('cms', '-sign', '-binary', ...by, ...as, '-in', 'info.der', '-out', 'token.der')
      const granted = Buffer.from('3003020100', 'hex')
      const content = Buffer.concat([granted, readFileSync(join(cwd, 'token.der'))])
      const head = Uint8Array.of(0x30, 0x82, content.length >> 8, content.length & 0xff)
      return Uint8Array.from([...head, ...content])
    },
    remove: () => rmSync(cwd, { recursive: true, force: true }),
  }
}

type Json = Record<string, unknown>
type SampleTimes = Pick<SampleEvidence, 'startedAt' | 'closedAt' | 'anchoredAt' | 'seed'>

/** A document of the samples of these times, each of its anchors stamped as `stampOf` has it. */
export function stampedEvidence(
  times: SampleTimes,
  stampOf: (entryHash: string) => string | null,
): EvidenceDocument {
  const sample = sampleEvidence({ seed: 21, steps: 3, ...times })
  const document = structuredClone(sample) as unknown as Json
  const stamps = new Map<string, string | null>()
  for (const anchor of anchorsIn(document)) {
    const hash = String(anchor.entryHash)
    if (!stamps.has(hash)) stamps.set(hash, stampOf(hash))
    anchor.timeStamp = stamps.get(hash)
  }
  return signDocument(document as unknown as EvidenceDocument, issuer)
}

function anchorsIn(value: unknown): readonly Json[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'anchorVersion' in value ? [value as Json] : []
  return [...own, ...Object.values(value).flatMap(anchorsIn)]
}
