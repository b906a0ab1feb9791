type AnswerCheck = (answer: {
  method: string;
  route: string;
  status: number;
  body: unknown;
}) => readonly ProblemIssue[];

interface ProblemIssue {
  path: string;
  message: string;
}

export declare const validateAnswers: AnswerCheck;
