interface ProblemIssue {
  path: string;
  message: string;
}

type ResponseValidator = (response: {
  method: string;
  route: string;
  status: number;
  body: unknown;
}) => readonly ProblemIssue[];

export declare function validateEvent(event: unknown): readonly ProblemIssue[];

export declare const validateResponses: ResponseValidator;
