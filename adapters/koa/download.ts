import type { StreamedFile } from '@countersign/core'
import type { AnyShape, OutOf } from '@countersign/core/kernel'
import type { Context } from 'koa'
import { streamAnswer } from './answer-stream.ts'
import type { Held } from './answers.ts'
import type { Produced, Reply } from './media.ts'
import { meterOf } from './rate-limit.ts'

/** Bytes that are no JSON. */
export const binary = { type: 'string', format: 'binary' } as const

/** An answer in JSON, or as a file that says the same; the first of the types is sent unless the handler says. */
export function jsonOrFile<S extends AnyShape>(
  shape: S,
  ...types: readonly string[]
): Produced<OutOf<S> | Uint8Array> {
  const schema = { anyOf: [shape.json.answer, binary] }
  return { types, schema, headers: ['Content-Disposition'] }
}

/** An answer that is a file. */
export function file(...types: readonly string[]): Produced<Uint8Array> {
  return { types, schema: binary, headers: ['Content-Disposition'] }
}

/** An answer that `streamFile` makes, in the first type; in another one `download` does. */
export function streamedFile(...types: readonly string[]): Produced<Uint8Array> {
  return { types, schema: binary, headers: ['Content-Disposition', 'X-Package-Id'] }
}

/** `fileName` is one that is safe in every system (`fileNameOf`). */
export function attachment(fileName: string): Readonly<Record<string, string>> {
  return { 'Content-Disposition': `attachment; filename="${fileName}"` }
}

/** A file as the caller's download, written as its receiver takes it. */
export function download(
  ctx: Context,
  { fileName, bytes }: { readonly fileName: string; readonly bytes: Uint8Array },
  type?: string,
): Reply<Uint8Array> {
  const first = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  meterOf(ctx)(first.length)
  const { answers, owner } = ctx.state
  const body = streamAnswer({ first, owner }, answers, () => void ctx.res.destroy())
  const headers = {
    ...attachment(fileName),
    'Content-Length': String(first.length),
    ...(type !== undefined && { 'Content-Type': type }),
  }
  return { body, headers }
}

/** A file that is made while its receiver takes it; a receiver that leaves ends the making. */
export function streamFile(
  ctx: Context,
  { fileName, mediaType, pieces, packageId }: StreamedFile,
): Reply<Uint8Array> {
  const { answers, owner } = ctx.state
  const meter = meterOf(ctx)
  const next = async (held: Held) => {
    held.holds(0)
    const { done, value } = await pieces.next()
    if (done) return null
    held.holds(value.length)
    meter(value.length)
    return Buffer.from(value.buffer, value.byteOffset, value.length)
  }
  const body = streamAnswer({ next, owner }, answers, () => void ctx.res.destroy())
  // Ended by its last piece, or left by its receiver before that.
  body.once('close', () => void pieces.return().catch(() => {}))
  const headers = {
    ...attachment(fileName),
    'Content-Type': mediaType,
    'X-Package-Id': packageId,
  }
  return { body, headers }
}
