import * as z from 'zod'

/** What `ask_for_approval` takes. */
export const asked = z.object({
  action: z.string().min(1).max(100).describe('What is to be done, such as the name of a tool.'),
  arguments: z.record(z.string(), z.unknown()).optional().describe('With what it is to be done.'),
  why: z.string().max(2_000).optional().describe('What the reviewer should know.'),
  tier: z.enum(['standard', 'high', 'urgent']).optional(),
  key: z
    .string()
    .max(100)
    .optional()
    .describe('An id of this action; the same again is the same request.'),
})

/** What `check_approval` takes. */
export const named = z.object({
  reviewCaseId: z.string(),
  answer: z.string().optional().describe('The answer to what the reviewer asked.'),
})

/** What `withdraw_approval` takes. */
export const withdrawn = named.pick({ reviewCaseId: true })
