import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileNameOf, writePack } from '@countersign/core/evidence'
import { sampleEvidence, sampleEvidenceKey } from '@countersign/core/testing'
import { zipArchives } from '@countersign/documents'
import { readKeyFile, verifyFile } from '@countersign/documents/verify'
import { inTurn, type Measure, rowOf } from '../figure.ts'

const issuer = sampleEvidenceKey(new Uint8Array(32).fill(7))
const createdAt = '2026-03-15T09:30:00.000Z'

/** A pack of so many documents, and the bytes of its files. */
async function packOf(documents: number) {
  const sessions = Array.from({ length: documents }, (_, seed) => {
    const leaf = seed % 2 === 0 ? 'record' : 'submitted'
    const evidence = sampleEvidence({ seed, leaf, steps: 50, text: `claim ${seed} `.repeat(300) })
    return {
      path: `applications/app_sample/sessions/${fileNameOf(evidence.session.sessionId)}/evidence.json`,
      mediaType: 'application/json',
      content: Buffer.from(JSON.stringify(evidence)),
    }
  })
  const withoutKeys = {
    path: 'authenticators.json',
    mediaType: 'application/json',
    content: Buffer.from('{"authenticators":[]}'),
  }
  const members = [...sessions, withoutKeys]
  const archive = zipArchives.create({ createdAt: Date.parse(createdAt) })
  const pieces: Uint8Array[] = []
  const read = (async () => {
    for await (const piece of archive.bytes) pieces.push(piece)
  })()
  const head = {
    packType: 'bulk',
    packageId: 'exp_1',
    tenantId: 'ten_sample',
    createdAt,
    scope: { applicationIds: ['app_sample'] },
  } as const
  await writePack(archive, { head, signer: issuer, publicKey: issuer.jwk, members })
  await read
  const bytes = members.reduce((sum, { content }) => sum + content.length, 0)
  return { pack: Buffer.concat(pieces), bytes }
}

export const evidence: Measure = {
  figures: ['evidence.verifyMsPerMb'],
  run: async ({ stage, scale }) => {
    const documents = scale.quick ? 8 : 32
    const { pack, bytes } = await packOf(documents)
    const directory = stage.directory('evidence')
    const [file, keyFile] = [join(directory, 'pack.zip'), join(directory, 'keys.json')]
    writeFileSync(file, pack)
    writeFileSync(keyFile, JSON.stringify(issuer.jwk))
    const keys = await readKeyFile(keyFile)
    const verified = async () => {
      const { verdict } = await verifyFile(file, keys)
      if (verdict !== 'verified') throw new Error(`the pack is ${verdict}`)
    }
    await verified()
    const rounds = await inTurn(scale.rounds, async () => {
      const [begun, before] = [performance.now(), process.cpuUsage()]
      await verified()
      const { user, system } = process.cpuUsage(before)
      const megabytes = bytes / 1e6
      return {
        figure: (performance.now() - begun) / megabytes,
        cpuMsPerMb: (user + system) / 1_000 / megabytes,
        megabytes,
      }
    })
    for (const path of [file, keyFile]) rmSync(path)
    return [
      rowOf(
        {
          figure: 'evidence.verifyMsPerMb',
          target: { is: 'most', reach: 60, aim: 30 },
          how: `ms for each megabyte of files in a pack of ${documents} evidence documents of 50 steps with their content, half of them submissions, by the functions of countersign-verify`,
        },
        rounds,
      ),
    ]
  },
}
