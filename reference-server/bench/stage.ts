import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureLocalCa } from '@countersign/node/local-ca'
import { writePrivate } from '../local.ts'
import { type Child, startChild } from './child.ts'

export interface TlsFiles {
  readonly key: string
  readonly cert: string
}

/** The directory of a run, its certificate authority, and the receiver to which both sides of a ratio post. */
export interface Stage {
  readonly tls: TlsFiles
  readonly ca: string
  readonly caFile: string
  /** https and plain http of the same receiver; below `/slow` it answers after 9.5 s, below `/hang` never. */
  readonly receiver: { readonly https: string; readonly http: string }
  /** A new directory of its own. */
  directory(name: string): string
  close(): Promise<void>
}

export async function openStage(): Promise<Stage> {
  const root = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
  // PostgreSQL runs under an account of its own.
  chmodSync(root, 0o711)
  const authority = await ensureLocalCa(join(root, 'ca'), { now: Date.now() })
  const { key, cert } = await authority.certFor(['localhost', '127.0.0.1', '::1'])
  const tls = { key: join(root, 'tls.key'), cert: join(root, 'tls.crt') }
  writePrivate(tls.key, key)
  writePrivate(tls.cert, cert)
  const sink: Child<{ https: number; http: number }> = await startChild('sink', tls)
  let made = 0
  return {
    tls,
    ca: readFileSync(authority.caFile, 'utf8'),
    caFile: authority.caFile,
    receiver: {
      https: `https://localhost:${sink.ready.https}`,
      http: `http://127.0.0.1:${sink.ready.http}`,
    },
    directory(name) {
      const path = join(root, `${name}-${++made}`)
      mkdirSync(path)
      return path
    },
    close: async () => {
      await sink.stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
}
