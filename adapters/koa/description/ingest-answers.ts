import * as z from 'zod'

/** ExportTraceServiceResponse: empty where every span was taken. */
export const exportAnswer = z.strictObject({
  partialSuccess: z
    .strictObject({
      /** A 64-bit integer, which JSON writes as text. */
      rejectedSpans: z.string().regex(/^\d+$/),
      errorMessage: z.string(),
    })
    .exactOptional(),
})
