import { cutJson } from '../../base/json/cut-json.ts'
import { keptBytes, type Piece, readPiece } from '../../base/json/piece.ts'
import { ingestLimits } from '../../kernel/ledger/limits.ts'
import { documentLimits, type ExportDocument, tooMuchBeside } from './export-document.ts'
import { ShapeError, SpanRejected } from './faults.ts'

const spansPath = ['resourceSpans', null, 'scopeSpans', null, 'spans'] as const

/** Cuts an export in OTLP/HTTP's JSON into its spans. Throws `ShapeError` for any other body. */
export function* openJson(body: Uint8Array): Generator<undefined, ExportDocument> {
  const cut = yield* cutJson(body, spansPath, { pieces: ingestLimits.spansPerRequest })
  if ('fault' in cut) throw new ShapeError('', cut.fault)
  const { pieces, rest, over } = cut
  const { beside, valuesOfSpan } = documentLimits
  if (keptBytes(rest) > beside.bytes || rest.values > beside.values)
    throw new ShapeError('', tooMuchBeside)
  return {
    collection: yield* parsedPiece(body, rest),
    over,
    sizeOf(at) {
      const { start, end } = pieces[at] as Piece
      return end - start
    },
    *read(at) {
      const piece = pieces[at] as Piece
      if (piece.values > valuesOfSpan) throw new SpanRejected('over_limit')
      return yield* parsedPiece(body, piece)
    },
  }
}

function* parsedPiece(body: Uint8Array, piece: Piece): Generator<undefined, unknown> {
  const parsed = yield* readPiece(body, piece)
  if ('fault' in parsed) throw new ShapeError('', parsed.fault)
  return parsed.value
}
