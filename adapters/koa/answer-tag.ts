import { createHash } from 'node:crypto'
import type { ReviewStatistics, SummaryView } from '@countersign/core'
import { jsonType, type Produced } from './media.ts'
import type { Route } from './operation.ts'

type Row = Pick<Route, 'host' | 'method'> & { readonly answer: Produced<unknown> }

/**
 * The answer of a row with the tag that each read of the portal has whose answer is JSON and no file: browsers poll it,
 * and what is unchanged costs them no body.
 */
export function taggedAnswer<R extends Row>({ host, method, answer }: R): R['answer'] {
  const { types, headers = [] } = answer
  const isPolled = host === 'portal' && method === 'GET' && types.every((type) => type === jsonType)
  const isFile = headers.includes('Content-Disposition')
  return !isPolled || isFile || headers.includes('ETag')
    ? answer
    : { ...answer, headers: [...headers, 'ETag'] }
}

/** Whether answers of a row that name no version of their own are tagged by their bytes. */
export function isTagged({ method, answer }: Pick<Row, 'method' | 'answer'>): boolean {
  return method === 'GET' && (answer.headers?.includes('ETag') ?? false)
}

/** A strong `ETag`: half of the SHA-256 of what is sent, in hex. */
export function tagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`
}

/**
 * A weak `ETag`: of all but the time, which every answer has another of, and of the minute, so that browsers hear the
 * service's time once a minute though nothing else changed.
 */
export function summaryTag({ serverTime, ...waiting }: SummaryView): string {
  const minute = serverTime.slice(0, 'YYYY-MM-DDTHH:mm'.length)
  return `W/${tagOf(Buffer.from(JSON.stringify([minute, waiting])))}`
}

/** As `summaryTag`: of all but until when it counts. */
export function statisticsTag({ until: _, ...counted }: ReviewStatistics): string {
  return `W/${tagOf(Buffer.from(JSON.stringify(counted)))}`
}
